const width = 240
const height = 44
const gap = 1

export interface Bar {
  value: number
  /** The failed part of the value. */
  failed?: number
}

/** A bar chart of values over time. The label describes it to screen readers. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const step = width / Math.max(1, bars.length)
  return (
    <svg className="bars" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {bars.map(({ value, failed = 0 }, i) => {
        const tall = (share: number) => (share === 0 ? 0 : Math.max(1.5, (share / most) * height))
        const place = { x: i * step, width: Math.max(0.5, step - gap) }
        return (
          <g key={place.x}>
            <rect {...place} y={height - tall(value)} height={tall(value)} />
            <rect className="worse" {...place} y={height - tall(failed)} height={tall(failed)} />
          </g>
        )
      })}
    </svg>
  )
}
