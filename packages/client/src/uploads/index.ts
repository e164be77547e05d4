export { createUploads, type Upload, type Uploads, type UploadsOptions } from './create-uploads.ts'
