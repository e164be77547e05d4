/** A response that sends the caller to another address. */
export class Redirect {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }
}

/** A result that sets cookies too. */
export class WithCookies<R extends object = object> {
  readonly cookies: readonly string[]
  readonly result: R | Redirect

  /** @param cookies values of Set-Cookie */
  constructor(cookies: readonly string[], result: R | Redirect) {
    this.cookies = cookies
    this.result = result
  }
}
