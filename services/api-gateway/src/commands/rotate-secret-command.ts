import { rotateWebhookSecret } from '@parley/chat/access/apps'
import { Command, InvalidArgumentError } from 'commander'
import { byCommand } from './by-command.ts'
import { withDb } from './with-db.ts'

const maxHours = 30 * 24

export function rotateWebhookSecretCommand(): Command {
  return new Command('rotate-webhook-secret')
    .description('Give an app a new webhook secret and print it, only once; the old one stays valid for a while')
    .argument('<appID>', 'the app')
    .option(
      '--hours <number>',
      'hours for which the old secret stays valid, at most 720; 0 ends it and all earlier ones',
      toHours,
      24,
    )
    .action(async (app: string, { hours }: { hours: number }) => {
      const secret = await withDb((db) =>
        rotateWebhookSecret(byCommand(db, app, 'app rotate-webhook-secret'), app, hours),
      )
      console.log(
        `${app} has a new webhook secret, which is not shown again. Within ten seconds, every call is signed with it:`,
      )
      console.log(`  ${secret}`)
      if (hours > 0) console.log(`The old secret stays valid for ${hours} hours.`)
    })
}

function toHours(text: string): number {
  const hours = Number(text)
  if (text.trim() !== '' && hours >= 0 && hours <= maxHours) return hours
  throw new InvalidArgumentError(`expected a number from 0 to ${maxHours}.`)
}
