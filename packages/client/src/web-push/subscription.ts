import type { UserCalls } from '../calls/user-calls.ts'

/** The used part of the browser's PushSubscription. */
export interface WorkerSubscription {
  options: { applicationServerKey: ArrayBuffer | null }
  unsubscribe: () => Promise<boolean>
}

/** The used part of the browser's ServiceWorkerRegistration. */
export interface PushWorker {
  pushManager: {
    getSubscription: () => Promise<WorkerSubscription | null>
    subscribe: (options: { userVisibleOnly: boolean; applicationServerKey: string }) => Promise<WorkerSubscription>
  }
}

export interface PushDevice {
  /** `client.api`, or the result of `createWorkerCalls()` in a service worker. */
  api: Pick<UserCalls, 'webPushKey' | 'subscribe' | 'unsubscribe'>
  /** The registration of your service worker. */
  worker: PushWorker
  /** The client's device ID, so that a connected page gets no push. */
  deviceID: string
}

/**
 * Registers this browser for push. The user must have allowed notifications. Call it on every page start: browsers
 * renew subscriptions, and the server keeps a device's latest one.
 */
export async function subscribeToPush({ api, worker, deviceID }: PushDevice): Promise<void> {
  const { publicKey } = await api.webPushKey()
  const { pushManager } = worker
  let subscription = await pushManager.getSubscription()
  // Browsers refuse to change a subscription's key.
  if (subscription && keyOf(subscription) !== publicKey) {
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { language } = navigator
  await api.subscribe({ type: 'web', token: JSON.stringify(subscription), deviceId: deviceID, language })
}

/** Ends the subscription here and on the server. If the server cannot be reached, its next push finds it gone. */
export async function unsubscribeFromPush({ api, worker, deviceID }: PushDevice): Promise<void> {
  const subscription = await worker.pushManager.getSubscription()
  await Promise.all([subscription?.unsubscribe(), api.unsubscribe({ deviceId: deviceID })])
}

/** The key in base64url, as returned by `webPushKey`. */
function keyOf({ options: { applicationServerKey } }: WorkerSubscription): string {
  const bytes = new Uint8Array(applicationServerKey ?? new ArrayBuffer())
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
