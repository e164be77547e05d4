/** Header names of bus messages. The payload is exactly the JSON that sockets get; all metadata travels in headers. */
export const busHeaders = {
  /** ID of the HTTP request or socket emit that caused the event, for log lines about it. */
  request: 'Parley-Request',
  /** `seq` of the message that the event carries or concerns. A trailing `+`: the previous one may not be published yet. */
  seq: 'Parley-Seq',
  /** Root of the thread in which `seq` counts (percent-encoded); absent if it counts in the room. */
  thread: 'Parley-Thread',
  /** On the event that carries a message: when it was accepted, in Unix milliseconds by MongoDB's clock. */
  accepted: 'Parley-Accepted',
  /** `false` when the sender asked for no push. */
  push: 'Parley-Push',
  /** `false` on a message that a room's webhook returned: it is not sent back to the webhook. */
  webhook: 'Parley-Webhook',
  /** The acting user (percent-encoded), for webhooks; absent for an API key. */
  by: 'Parley-By',
  /** Device of the acting user that does not get the event (percent-encoded). */
  exceptDevice: 'Parley-Except-Device',
  /**
   * On an event republished after a stream was lost: when it was first recorded (Unix milliseconds), and its position among
   * the earlier events, which keeps calls to integrators in order.
   */
  republished: 'Parley-Republished',
  position: 'Parley-Place',
  /** User who does not get the event on any device (percent-encoded). */
  exceptUser: 'Parley-Except-User',
} as const
