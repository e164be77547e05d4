/** Of every response of the API that does not say otherwise: none is kept by a browser or a proxy. */
export const apiCacheControl = 'no-store, private'
