/** Header names of bus messages. The payload is exactly the JSON that sockets get; everything else about an event is here. */
export const busHeaders = {
  /** ID of the HTTP request or socket emit that caused the event: in every log line about it. */
  request: 'Parley-Request',
  /** `seq` of the message that the event brings or is about; a `+` behind it: the one before may not be published yet. */
  seq: 'Parley-Seq',
  /** The root of the thread that numbers that message (percent-encoded); absent where the room does. */
  thread: 'Parley-Thread',
  /** When that message was accepted, in Unix milliseconds by MongoDB's clock; on the event that brings it. */
  accepted: 'Parley-Accepted',
  /** `false` when the sender asked for no push. */
  push: 'Parley-Push',
  /** `false` on a message that a room's webhook returned: the webhook does not receive it again. */
  webhook: 'Parley-Webhook',
  /** The user behind the event, if a token was used; for webhooks (percent-encoded). */
  by: 'Parley-By',
  /** The device of the acting user that does not get the event (percent-encoded). */
  exceptDevice: 'Parley-Except-Device',
  /**
   * On an event that is published again because the stream was lost: when it was noted (Unix milliseconds), and its place among
   * the events of before, by which calls to integrators stay in order.
   */
  again: 'Parley-Again',
  place: 'Parley-Place',
  /** The user that does not get the event on any device (percent-encoded). */
  exceptUser: 'Parley-Except-User',
} as const
