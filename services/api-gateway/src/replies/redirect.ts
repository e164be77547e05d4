/** A response that sends the caller to another address. */
export class Redirect {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }
}
