import type { Chapter } from './chapter.ts'

export const conventions: Chapter = {
  title: 'Conventions',
  sections: {
    Conventions: [
      'fields ending in MS are integer milliseconds',
      'other time fields are ISO-8601 strings',
      'the envelope {RC, RM, result}, RC 0 means success',
    ],
  },
}

/** Errors, limits and the chat page. Errors of an endpoint are listed with it. */
export const general: readonly Chapter[] = [
  {
    title: 'Errors',
    sections: {
      'Error forms': [
        'the envelope {RC, RM, error: {code, message}}, RC repeats the HTTP status',
        'the bare form {error, message} of token revocation',
        'the bare form {error, message} of external-token assignment',
      ],
    },
  },
  {
    title: 'Limits',
    sections: {
      Limits: [
        'GET /rooms/{id}/messages/v3: limit is 20 by default',
        'GET /admin/clients: limit is 50 by default',
        'GET /admin/clients: limit is 100 at most',
        'GET /admin/clients: skip is 0 by default',
        'GET /rooms: skip is 0 by default',
        'GET /rooms: limit is 0 by default, no limit',
        'GET /admin/stats: 3600 seconds by default',
        'GET /admin/clients: a result too large is 413',
      ],
    },
  },
  {
    title: 'Web chat page',
    sections: { '/chat': ['the page is served', 'the query parameter token signs the user in'] },
  },
]
