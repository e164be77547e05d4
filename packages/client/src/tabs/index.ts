export type { ClientTabs, SharedConnection, SharedFor, ShareOptions, UserConnection } from './client-tabs.ts'
export { createTabs, type Tabs, type TabsOptions } from './create-tabs.ts'
