import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { commandName } from '../../resources/command.ts'

export const listCommands = operation('listCommands', 'GET /rooms/:id/commands', {
  tag: 'Rooms',
  summary: 'List the commands of the robots in a room, by name',
  access: 'client-or-admin',
  scope: 'rooms:read',
  params: z.object({ id: roomId }),
  result: z.array(z.object({ name: commandName, description: z.string(), robot: userId })),
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND'],
  example: { result: [{ name: 'help', description: 'What I can do', robot: 'helper' }] },
})
