/** False on touch-only devices, where Enter starts a new line. */
export const enterSends = (): boolean =>
  !matchMedia('(pointer: coarse)').matches || matchMedia('(any-pointer: fine)').matches
