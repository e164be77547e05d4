import { makeThumbnail, type Thumbnail } from './make-thumbnail.ts'

/** The reply to the parent process: one per picture, in order. */
export type Outcome = { made: Thumbnail } | { refused: string }

process.on('message', ({ picture }: { picture: Uint8Array }) => {
  void makeThumbnail(Buffer.from(picture)).then(
    (made) => reply({ made }),
    (error: unknown) => reply({ refused: error instanceof Error ? error.message : String(error) }),
  )
})
// Kill: a running decoder would delay a normal exit.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))

function reply(outcome: Outcome): void {
  process.send?.(outcome)
}
