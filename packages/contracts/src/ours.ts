/**
 * Metadata of a schema that goes beyond the interface: `field.meta(ours)`. The OpenAPI and AsyncAPI documents mark it
 * and everything inside it with `x-extension: true`.
 */
export const ours = { 'x-extension': true } as const
