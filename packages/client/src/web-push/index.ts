export { type PushDevice, subscribeToPush, unsubscribeFromPush } from './subscription.ts'
export { createWorkerCalls, type WorkerCallsOptions } from './worker-calls.ts'
