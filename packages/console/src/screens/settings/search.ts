export const settingsTabs = ['chat', 'app'] as const

export interface SettingsSearch {
  tab?: (typeof settingsTabs)[number] | undefined
}
