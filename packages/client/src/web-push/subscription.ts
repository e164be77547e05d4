import type { UserCalls } from '../calls/user-calls.ts'

/** The part of the browser's PushSubscription that is used. */
export interface WorkerSubscription {
  options: { applicationServerKey: ArrayBuffer | null }
  unsubscribe: () => Promise<boolean>
}

/** The part of its ServiceWorkerRegistration that is used. */
export interface PushWorker {
  pushManager: {
    getSubscription: () => Promise<WorkerSubscription | null>
    subscribe: (options: { userVisibleOnly: boolean; applicationServerKey: string }) => Promise<WorkerSubscription>
  }
}

export interface PushDevice {
  /** `client.api`; in a service worker that of `createWorkerCalls()`. */
  api: Pick<UserCalls, 'webPushKey' | 'subscribe' | 'unsubscribe'>
  /** The registration of your service worker. */
  worker: PushWorker
  /** The client's, so that a connected page gets no push. */
  deviceID: string
}

/**
 * Registers this browser for push. The user must have allowed notifications. Call it at each start of the page too: browsers
 * renew subscriptions, and the server keeps the last one of a device.
 */
export async function subscribeToPush({ api, worker, deviceID }: PushDevice): Promise<void> {
  const { publicKey } = await api.webPushKey()
  const { pushManager } = worker
  let subscription = await pushManager.getSubscription()
  // The browser refuses to change the key of a subscription.
  if (subscription && keyOf(subscription) !== publicKey) {
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { language } = navigator
  await api.subscribe({ type: 'web', token: JSON.stringify(subscription), deviceId: deviceID, language })
}

/** Ends it here and on the server. When the server cannot be reached, its next push finds the subscription ended. */
export async function unsubscribeFromPush({ api, worker, deviceID }: PushDevice): Promise<void> {
  const subscription = await worker.pushManager.getSubscription()
  await Promise.all([subscription?.unsubscribe(), api.unsubscribe({ deviceId: deviceID })])
}

/** In base64url, as `webPushKey` answers it. */
function keyOf({ options: { applicationServerKey } }: WorkerSubscription): string {
  const bytes = new Uint8Array(applicationServerKey ?? new ArrayBuffer())
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
