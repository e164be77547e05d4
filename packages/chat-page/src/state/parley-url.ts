/** The base URL of Parley, derived from the page's URL, `<base>/chat`. */
export const parleyUrl = (): string => location.origin + location.pathname.replace(/\/chat\/?$/, '')
