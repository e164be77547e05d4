/** Paths on a 24×24 grid, stroked in the text colour. */
const paths = {
  apps: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  back: 'M15 5l-7 7 7 7',
  ban: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.500 6.500l11 11',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  chart: 'M4 20h16M7 16v-5M12 16V6M17 16v-8',
  close: 'M6 6l12 12M18 6L6 18',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  device: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  down: 'M6 9l6 6 6-6',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  flag: 'M6 21V4h11l-2 4 2 4H6',
  freeze: 'M12 3v18M4.200 7.500l15.600 9M19.800 7.500l-15.600 9M9 4l3 3 3-3M9 20l3-3 3 3',
  gear: 'M12 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M18.400 5.600l-2.100 2.100M7.700 16.300l-2.100 2.100',
  jobs: 'M9 4v4H5M15 20v-4h4M5.500 8a8 8 0 0 1 14.500 3M18.500 16A8 8 0 0 1 4 13',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l9-9M16 7l3 3',
  language: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM4 12h16M12 4c5 5 5 11 0 16M12 4c-5 5-5 11 0 16',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  mute: 'M4 9v6h4l5 4V5L8 9zM17 9l4 6M21 9l-4 6',
  next: 'M9 5l7 7-7 7',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  plus: 'M12 5v14M5 12h14',
  reply: 'M10 7l-5 5 5 5M5 12h8a6 6 0 0 1 6 6',
  rooms: 'M4 5h13a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-6l-4 3.500V15H4zM8 9h7M8 11.500h4',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.500 15.500L20 20',
  send: 'M4 12l16-8-6 16-3-6z',
  shield: 'M12 3l8 3v6c0 5-3.500 7.800-8 9-4.500-1.200-8-4-8-9V6z',
  theme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  time: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.500l3 1.500',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  undo: 'M9 6L4 11l5 5M4 11h10a5 5 0 0 1 0 10h-3',
  up: 'M6 15l6-6 6 6',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 21a7.500 7.500 0 0 1 15 0',
  users:
    'M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM2.500 20a6.500 6.500 0 0 1 13 0M16 5.500a3.500 3.500 0 0 1 0 6.500M18.500 14.500a6.500 6.500 0 0 1 3 5.500',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  webhook:
    'M9 17a3.500 3.500 0 1 1-4-3.400M12 4a3.500 3.500 0 0 1 2 6.400l3 5.600M12 7.500L9 14M17 13.500a3.500 3.500 0 1 1-2.500 6H9',
}

export type IconName = keyof typeof paths

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
