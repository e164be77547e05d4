/** The picture origins that the page's CSP allows, written into the page by the gateway. */
export function imageOrigins(): string[] {
  const content = document.querySelector('meta[name="parley-image-origins"]')?.getAttribute('content') ?? ''
  return [location.origin, ...content.split(' ').filter((origin) => origin !== '')]
}

export function mayShow(url: string, origins: readonly string[]): boolean {
  if (url.startsWith('data:image/')) return true
  return URL.canParse(url, location.origin) && origins.includes(new URL(url, location.origin).origin)
}
