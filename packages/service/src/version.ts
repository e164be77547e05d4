import about from '../package.json' with { type: 'json' }

/** The Parley release; all packages have the same version. */
export const { version } = about
