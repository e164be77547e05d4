/** Header names of bus messages. The payload is exactly the JSON that sockets get; all else about an event is here. */
export const busHeaders = {
  /** ID of the HTTP request or socket emit that caused the event: in every log line of its way. */
  request: 'Parley-Request',
  /** `false` when the sender asked for no push. */
  push: 'Parley-Push',
  /** `false` on what a room's webhook answered: it is not told of it again. */
  webhook: 'Parley-Webhook',
  /** The device of the acting user that does not get the event (percent-encoded). */
  exceptDevice: 'Parley-Except-Device',
  /** The user who does not get the event on any device (percent-encoded). */
  exceptUser: 'Parley-Except-User',
} as const
