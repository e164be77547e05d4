import { sharedSettings } from '@parley/service/shared-settings'

/** Everything that the stats service takes from its environment. */
export const statsSettings = { ...sharedSettings }
