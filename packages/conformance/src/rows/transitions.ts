import type { Chapter } from './chapter.ts'

/** State transitions of each entity: from → to, with side effects. */
export const transitions: Chapter = {
  title: 'States and transitions',
  sections: {
    'Ban transitions': [
      'not banned → banned, the record has blocker and timestamps',
      'banned → banned: 409 USER_ALREADY_BLOCKED',
      'banned → not banned, updatedAt is the unban time',
      'not banned → not banned: 404 BLOCK_NOT_FOUND',
    ],
    'Room mute transitions': [
      'muted → unmuted, removed from mute at once and for good',
      'unmuted → unmuted: 400 ROOM_NOT_MUTED',
    ],
    'User token transitions': [
      'valid → revoked, revokedTokens is 1',
      'valid (all) → all revoked, revokedTokens is the number removed',
      'valid → replaced by a new token, the old one becomes invalid',
      'valid → replaced by the bound token',
    ],
    'Config key transitions': [
      'present → absent, then 404 CONFIG_NOT_FOUND',
      'any → set to the given value, the same key is overwritten',
    ],
    'Room status': ['1 means active'],
  },
}
