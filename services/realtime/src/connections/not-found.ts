import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'

/** Returns 404 for any path other than that of the sockets (docs/errors.md#not_found), and closes. */
export function answerNotFound(res: HttpResponse, req: HttpRequest): void {
  const body = req.getMethod() === 'head' ? '' : JSON.stringify(toErrorEnvelope(new ApiError('NOT_FOUND')))
  res.cork(() => {
    res.writeStatus('404 Not Found')
    res.writeHeader('Content-Type', 'application/json; charset=utf-8')
    res.writeHeader('Access-Control-Allow-Origin', '*')
    res.end(body, true)
  })
}
