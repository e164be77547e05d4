/** Paths on a 24×24 grid, stroked in the text colour. */
const paths = {
  attach:
    'M20 11.500l-8 8a5 5 0 0 1-7-7l8.500-8.500a3.300 3.300 0 0 1 4.700 4.700L9.500 17a1.600 1.600 0 0 1-2.300-2.300l7.800-7.700',
  back: 'M15 5l-7 7 7 7',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.500 2h-15zM10 21h4',
  bellOff: 'M6 17V11a6 6 0 0 1 9.500-4.900M18 11v6l1.500 2h-15M10 21h4M4 4l16 16',
  block: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.500 6.500l11 11',
  bubble: 'M5 4h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  checks: 'M2 12.500l4.500 4.500L15 8.500M12 16.500l.5.500L22 7.500',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.500l3 1.500',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  download: 'M12 4v11M7 10l5 5 5-5M5 20h14',
  down: 'M6 9l6 6 6-6',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  flag: 'M6 21V4h11l-2 4 2 4H6',
  image: 'M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15 9h.01',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 8h.01',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  mute: 'M4 9v6h4l5 4V5L8 9zM17 9l4 6M21 9l-4 6',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  plus: 'M12 5v14M5 12h14',
  play: 'M8 5l11 7-11 7z',
  reply: 'M10 7l-5 5 5 5M5 12h8a6 6 0 0 1 6 6',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.500 15.500L20 20',
  send: 'M4 12l16-8-6 16-3-6z',
  smile: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM9 10h.01M15 10h.01M8.500 14a4 4 0 0 0 7 0',
  thread: 'M4 5h13a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-6l-4 3.500V15H4zM8 9h7M8 11.500h4',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  undo: 'M9 6L4 11l5 5M4 11h10a5 5 0 0 1 0 10h-3',
  userAdd: 'M10 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM3 20a7 7 0 0 1 14 0M19 8v6M16 11h6',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
}

/** Icons that point along the line, and are mirrored in right-to-left text. */
const turning: ReadonlySet<string> = new Set(['back', 'leave', 'reply', 'send', 'undo'])

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={turning.has(name) ? 'icon turns' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
