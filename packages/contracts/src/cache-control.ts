/** Default Cache-Control of API responses: browsers and proxies must not store them. */
export const apiCacheControl = 'no-store, private'
