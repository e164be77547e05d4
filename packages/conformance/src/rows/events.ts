import { interfaceEvents, interfacePushCall } from '@parley/contracts/documents/interface-names'
import { type Chapter, fieldName, isField } from './chapter.ts'

/** When each event is emitted, and to which users. */
const emitted: Record<string, readonly string[]> = {
  'chat message': ['a room receives a new message', 'also for the user’s own messages sent from another device'],
  room: ['members change', 'the name changes', 'settings change'],
  lastRead: ['a member calls PUT /rooms/:id/lastRead; to all room members'],
  typing: ['a member is typing'],
  ai_streaming: ['an AI message is streamed in chunks'],
  roomPref: ['the user changes a room preference on one device; to the user’s other devices'],
  myPrefChange: ['the user changes a personal preference; to the user’s other devices'],
  myPrefDelete: ['the user deletes a personal preference; to the user’s other devices'],
  invitation: ['a group invitation is received'],
  userDeleteMessages: ['the user deletes messages; to that user only'],
  messageDeleted: ['a super-user deletes a message; to all room members', 'messageID _all: all messages in the room'],
}

/** The payload of events without fields of their own. */
const whole: Record<string, string> = { string: 'the bare key', Invitation: 'an Invitation' }

const sections = Object.entries(interfaceEvents).map(([event, fields]): [string, string[]] => [
  `event ${event}`,
  [
    ...(emitted[event] ?? []),
    ...fields.map((field) =>
      isField(field) ? `payload.${fieldName(field)}` : `the payload is ${whole[field] ?? `a ${field}`}`,
    ),
  ],
])

export const events: Chapter = {
  title: 'Events',
  sections: {
    Events: [
      'with base64, each payload is a string to decode and then parse as JSON',
      'delivered only while connected',
      'the same message has the same _id in every event, to de-duplicate by',
      'after a reconnect, the messages and GET /me/badge cover the gap',
    ],
    ...Object.fromEntries(sections),
  },
}

/** The integrator's push callback and the texts of pushes. */
export const push: Chapter = {
  title: 'Push',
  sections: {
    PUSH_GENERIC: [
      'a POST for every message event needing a push',
      'pushToClients holds the recipients',
      'the body is the message object, flattened',
      'no receiver badge',
      ...interfacePushCall.map((field) => `body.${fieldName(field)}`),
    ],
    'Push texts': ['keys prefixed im_loc_, in loc-key and loc-args'],
  },
}
