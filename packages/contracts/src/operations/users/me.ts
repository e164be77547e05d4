import { operation } from '../../operation.ts'
import { user } from '../../resources/user.ts'
import { exampleUser } from '../examples.ts'

const { isAdmin: _isAdmin, ...exampleMe } = exampleUser

export const getMe = operation('getMe', 'GET /me', {
  tag: 'Users and tokens',
  summary: 'Get the caller’s profile',
  access: 'client',
  result: user,
  errors: ['CLIENT_NOT_FOUND'],
  example: { result: exampleMe },
})
