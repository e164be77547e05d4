import type { components } from '../../../generated/openapi.ts'
import { type Api, dataOf } from '../../api.ts'

/** POST /admin/clients, which has an envelope unless the caller gives a token of its own. */
export async function saveUser(
  api: Api,
  body: components['schemas']['SaveUserRequest'],
): Promise<components['schemas']['SavedUser']> {
  const answer = await dataOf(api.POST('/admin/clients', { body }))
  if ('result' in answer) return answer.result
  throw new Error('the answer has no envelope')
}
