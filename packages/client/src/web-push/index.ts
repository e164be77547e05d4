export {
  type PushDevice,
  type PushWorker,
  subscribeToPush,
  unsubscribeFromPush,
  type WorkerSubscription,
} from './subscription.ts'
export { createWorkerCalls, type WorkerCallsOptions } from './worker-calls.ts'
