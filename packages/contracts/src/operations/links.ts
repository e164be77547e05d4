import type { Named } from '../ids.ts'

/** The values of a response that later operations may use. */
export interface Given {
  /** Where the request or response names the created or found resource, as OpenAPI runtime expressions. */
  names: Partial<Record<Named, string>>
  /** The subject: only operations that use it are linked. */
  about?: Named
  /** Only these operations are linked, such as the one that undoes it. */
  to?: readonly string[]
}

const result = (pointer: string) => `$response.body#/result${pointer}`
const body = (pointer: string) => `$request.body#${pointer}`
const path = (name: string) => `$request.path.${name}`

const sent: Given = {
  names: { message: result('/_id'), room: result('/room'), user: result('/sender') },
  about: 'message',
}

/** The links of the OpenAPI document, by the operation they come from. */
export const given: Readonly<Record<string, Given>> = {
  getMe: { names: { user: result('/_id') }, to: ['createRoom', 'pushToClients', 'saveGroup'] },
  saveUser: { names: { user: result('/_id') }, about: 'user' },
  createRoom: { names: { room: result('/_id'), user: result('/members/0/_id') }, about: 'room' },
  listRooms: {
    names: {
      room: result('/data/0/_id'),
      user: result('/data/0/members/0/_id'),
      message: result('/data/0/lastMessage/_id'),
    },
    about: 'room',
  },
  sendMessage: sent,
  writeMessage: sent,
  listMessages: {
    names: { message: result('/data/0/_id'), room: result('/data/0/room'), user: result('/data/0/sender/_id') },
    about: 'message',
  },
  addReaction: { names: { message: path('id'), reaction: body('/reaction') }, to: ['removeReaction'] },
  pinMessage: { names: { message: path('id') }, to: ['unpinMessage'] },
  addMembers: {
    names: { room: path('id'), user: body('/invitees/0') },
    to: ['banMember', 'setMemberRole', 'removeMembers', 'joinRoom', 'declineInvitation'],
  },
  removeMembers: { names: { room: path('id'), user: body('/members/0') }, to: ['addMembers'] },
  banMember: { names: { room: path('roomID'), user: path('blockee') }, to: ['unbanMember', 'listBans'] },
  banUser: { names: { user: path('client_id') }, to: ['unbanUser'] },
  blockUser: { names: { user: path('blockee') }, to: ['unblockUser'] },
  muteUser: { names: { user: path('uid'), room: path('room') }, to: ['unmuteUser'] },
  muteRoom: { names: { room: path('room') }, to: ['unmuteRoom'] },
  saveGroup: { names: { group: result('/_id') }, about: 'group' },
  listGroups: { names: { group: result('/data/0/_id') }, about: 'group' },
  setConfig: { names: { 'configuration key': 'announcement' }, about: 'configuration key' },
  setMyPref: { names: { preference: path('key') }, to: ['deleteMyPref'] },
  subscribe: { names: { device: body('/deviceId') }, to: ['unsubscribe'] },
  listReports: { names: { report: result('/data/0/id') }, about: 'report' },
  scheduleMessage: { names: { 'scheduled message': result('/id') }, about: 'scheduled message' },
  listFailedWebhooks: { names: { 'failed call': result('/data/0/id') }, about: 'failed call' },
}
