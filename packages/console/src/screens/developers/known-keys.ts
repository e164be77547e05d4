/** Configuration keys that Parley uses, each with a valid example (docs/reference/configuration.md). */
export const knownKeys: Readonly<Record<string, unknown>> = {
  censorship: { keywords: ['darn'] },
  chatPage: { linkCards: true, imageOrigins: ['https://example.com'] },
  deliveryMarkers: true,
  directory: 'sharedRooms',
  fileLimits: { maxBytes: 16_777_216 },
  MODERATE: { url: 'https://example.com/moderate' },
  privateKeys: ['MODERATE', 'webhookKeys'],
  webhookKeys: { support: 'https://example.com/webhook' },
}
