import { parentPort } from 'node:worker_threads'
import { openApiDocument } from './openapi-document.ts'

/** Runs in a thread; its one message is the OpenAPI document as JSON text: see openapi-text.ts. */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows; a thread has none
parentPort?.postMessage(JSON.stringify(await openApiDocument()))
