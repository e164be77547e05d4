import { interfaceResources } from '@parley/contracts/documents/interface-names'
import { type Chapter, fieldName } from './chapter.ts'

const fieldsOf = (resource: string) => (interfaceResources[resource] ?? []).map(fieldName)

/** Fields of resources. Those of Config and the statistics report are listed with their endpoints. */
export const resources: Chapter = {
  title: 'Resources and their fields',
  sections: {
    Message: [...fieldsOf('Message'), 'sender is an object in reads and events, a string where it was sent'],
    Sender: fieldsOf('Sender'),
    User: [
      ...fieldsOf('SavedUser').filter((name) => name !== 'address'),
      ...fieldsOf('Address').map((name) =>
        name === 'port' ? 'address.port, left out where it is not known' : `address.${name}`,
      ),
      'email only if provided',
    ],
    Room: fieldsOf('Room'),
    RoomPref: fieldsOf('RoomPref'),
    UserGroup: fieldsOf('UserGroup'),
    Ban: fieldsOf('Ban').filter((name) => name !== 'blockee'),
    Config: ['values of any JSON', 'any key name'],
    'Statistics report': [
      'userList: users active in the window only',
      'roomCount: active rooms in the window',
      'totalRoomCount: all rooms',
      'messageCount: messages in the window',
      'peakConnectionCount: the peak of WebSocket connections in the window',
      'apiKey and clientKey are not logged',
    ],
  },
}
