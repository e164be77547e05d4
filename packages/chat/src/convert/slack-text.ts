const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/**
 * The readable text of a Slack message (https://api.slack.com/reference/surfaces/formatting), without the angle
 * brackets of mentions, channels and links.
 */
export function slackText(
  text: string,
  { names, rooms }: { names: ReadonlyMap<string, string>; rooms: ReadonlyMap<string, string> },
): { text: string; mentions: string[] } {
  const mentions = new Set<string>()
  const readable = text.replaceAll(
    /<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>/g,
    (_all, kind: string, to: string, label = '') => {
      if (kind === '@') {
        mentions.add(to)
        return `@${names.get(to) ?? (label || to)}`
      }
      if (kind === '#') return `#${label || (rooms.get(to) ?? to)}`
      if (kind === '!') return label || `@${to.split('^')[0]}`
      const url = to.replace(/^mailto:/, '')
      return label === '' || label === url ? url : `${label} (${url})`
    },
  )
  return {
    text: readable.replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity),
    mentions: [...mentions],
  }
}
