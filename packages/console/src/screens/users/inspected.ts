import type { components, operations } from '../../../generated/openapi.ts'

export type Inspected = operations['inspectUser']['responses'][200]['content']['application/json']['result']

export interface UserDialogProps {
  profile: components['schemas']['AdminUser']
  onClose: () => void
}
