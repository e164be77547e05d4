export { createUploads, type UploadsOptions } from './create-uploads.ts'
export type { Upload, Uploads } from './upload.ts'
