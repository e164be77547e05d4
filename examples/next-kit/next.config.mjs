import { join } from 'node:path'

/** @type {import('next').NextConfig} */
export default {
  // In this repository the library is TypeScript. Out of it, with the tarball, leave both away.
  transpilePackages: ['@parley/client'],
  turbopack: { root: join(import.meta.dirname, '../..') },
}
