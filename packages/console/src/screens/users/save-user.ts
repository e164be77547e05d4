import type { components } from '../../../generated/openapi.ts'
import { type Api, dataOf } from '../../api.ts'

/** Calls POST /admin/clients. The response has an envelope unless the caller provides a token. */
export async function saveUser(
  api: Api,
  body: components['schemas']['SaveUserRequest'],
): Promise<components['schemas']['SavedUser']> {
  const answer = await dataOf(api.POST('/admin/clients', { body }))
  if ('result' in answer) return answer.result
  throw new Error('the response has no envelope')
}
