/** @type {import('next').NextConfig} */
export default {
  // In this repository the library is TypeScript.
  transpilePackages: ['@parley/client'],
}
