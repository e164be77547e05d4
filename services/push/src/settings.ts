import { sharedSettings } from '@parley/service/shared-settings'

/** Everything that the push service takes from its environment. */
export const pushSettings = { ...sharedSettings }
