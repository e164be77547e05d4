/** The base URL of Parley: the page is at /chat, wherever that is. */
export const parleyUrl = (): string => location.origin + location.pathname.replace(/\/chat\/?$/, '')
