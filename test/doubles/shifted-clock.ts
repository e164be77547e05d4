// Preloaded into a service by `NODE_OPTIONS=--import`: shifts its clock by TEST_CLOCK_SHIFT_MS, like a machine without NTP.
const shiftMS = Number(process.env['TEST_CLOCK_SHIFT_MS'])
const realNow = Date.now

globalThis.Date = class extends Date {
  constructor(...args: [] | [number | string]) {
    if (args.length === 0) super(realNow() + shiftMS)
    else super(...args)
  }

  static override now(): number {
    return realNow() + shiftMS
  }
} as DateConstructor
