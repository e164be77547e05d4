import { makeThumbnail, type Thumbnail } from './make-thumbnail.ts'

/** The reply of this process to its parent: one for each picture, in order. */
export type Outcome = { made: Thumbnail } | { refused: string }

process.on('message', ({ picture }: { picture: Uint8Array }) => {
  void makeThumbnail(Buffer.from(picture)).then(
    (made) => say({ made }),
    (error: unknown) => say({ refused: error instanceof Error ? error.message : String(error) }),
  )
})
// A decoder at work would keep an orderly exit waiting.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))

function say(outcome: Outcome): void {
  process.send?.(outcome)
}
