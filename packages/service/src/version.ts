import about from '../package.json' with { type: 'json' }

/** The release of Parley, as all packages carry it. */
export const { version } = about
