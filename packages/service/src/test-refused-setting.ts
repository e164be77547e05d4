import assert from 'node:assert/strict'
import { readSettings, type SettingsDefinition, SettingsError } from './settings.ts'

/** Asserts that this value is refused with an error that names the variable. */
export function refuses(definition: SettingsDefinition, name: string, value: string): void {
  assert.throws(
    () => readSettings(definition, { [name]: value }),
    (error) => error instanceof SettingsError && error.message.includes(`${name} ("${value}") is not usable`),
  )
}
