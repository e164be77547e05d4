export { createUploads, type UploadsOptions } from './create-uploads.ts'
export type { FileStorage, Upload, Uploads } from './upload.ts'
