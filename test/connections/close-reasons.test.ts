import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownCloseReasons, protocolCloseReasons } from '@parley/contracts/socket/close-reasons'
import { describe, test } from 'vitest'

/** The lines of code in a folder and its subfolders, without tests. */
function linesOf(folder: string): string[] {
  const path = join(import.meta.dirname, '../..', folder)
  return readdirSync(path, { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => readFileSync(join(path, name), 'utf8').split('\n'))
}

/** String literals of two or more words in the matching lines. */
function textsOf(lines: readonly string[], which: RegExp): string[] {
  const texts = lines
    .filter((line) => which.test(line))
    .flatMap((line) => [...line.matchAll(/'([a-z]+(?: [a-z]+)+)'/g)].map(([, text]) => text ?? ''))
  return [...new Set(texts)].toSorted()
}

describe('close reasons', () => {
  test('of the protocol match packages/socketio', () => {
    const closing = /\b(?:close|closed|closeReason|disconnect|end|ended|terminate)\b/
    assert.deepEqual(textsOf(linesOf('packages/socketio/src'), closing), Object.keys(protocolCloseReasons).toSorted())
  })

  test('of Parley match the realtime node', () => {
    const closing = /\b(?:closeSocket|closeConnection|overload|reason: '|satisfies OwnCloseReason)/
    assert.deepEqual(textsOf(linesOf('services/realtime/src'), closing), Object.keys(ownCloseReasons).toSorted())
  })

  test('cover every close in the realtime node', () => {
    const other = linesOf('services/realtime/src').filter((line) =>
      /\.(?:disconnect|closeTransport|terminate)\(|\bconnection\.close\(/.test(line),
    )
    assert.deepEqual(
      other.map((line) => line.trim()),
      [
        "if (ownCloseReasons[reason].client === 'stops') socket.disconnect(true, reason)",
        'else socket.closeTransport(reason)',
        'connection.close(reason)',
        'for (const connection of wave) connection.closeTransport(stopping)',
      ],
    )
  })
})
