/** Configuration keys that Parley uses, each with a valid example (docs/reference/configuration.md). */
export const knownKeys: Readonly<Record<string, unknown>> = {
  censorship: { keywords: ['darn'] },
  chatPage: { linkCards: true, imageOrigins: ['https://example.com'] },
  deliveryMarkers: true,
  directory: 'sharedRooms',
  fileLimits: { maxBytes: 16_777_216 },
  MODERATE: { url: 'https://example.com/moderate' },
  notifications: { levels: { group: 'mentions' }, roomMentions: 'managers' },
  privateKeys: ['MODERATE', 'webhookKeys'],
  retention: { days: 365 },
  tokenIssuers: [
    {
      issuer: 'https://login.example.com/',
      audience: 'parley',
      jwksUrl: 'https://login.example.com/.well-known/jwks.json',
    },
  ],
  webhookKeys: { support: 'https://example.com/webhook' },
}
