/** Where there is only a screen to type on, Enter begins a line. */
export const enterSends = (): boolean =>
  !matchMedia('(pointer: coarse)').matches || matchMedia('(any-pointer: fine)').matches
