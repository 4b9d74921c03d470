import type { ReactNode } from 'react'
import {
  Bar,
  BarChart,
  CartesianGrid,
  LabelList,
  Legend,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import type { Dashboard } from './queries.ts'

const colours = ['#2563eb', '#16a34a', '#dc2626', '#9333ea', '#d97706', '#64748b']

interface PanelProps {
  title: string
  /** What to say instead of the chart where there is nothing to draw. */
  missing: ReactNode
  isEmpty: boolean
  isWide?: boolean
  children: ReactNode
}

function Panel({ title, missing, isEmpty, isWide = false, children }: PanelProps) {
  return (
    <section className={isWide ? 'wide' : ''} aria-label={title}>
      <h2>{title}</h2>
      {isEmpty ? (
        <p>{missing}</p>
      ) : (
        <ResponsiveContainer width="100%" height={240}>
          {children}
        </ResponsiveContainer>
      )}
    </section>
  )
}

/** A line for each status; the legend has the last number. */
export function StatusOverTime({ points }: { points: Dashboard['series'] }) {
  const labels = [...new Set(points.map(({ label }) => label))]
  const days = new Map<number, Record<string, number | null>>()
  for (const { time, label, value } of points) days.set(time, { ...days.get(time), [label]: value })
  const rows = [...days].map(([time, values]) => ({ day: new Date(time).toISOString().slice(5, 10), ...values }))
  const last = (label: string) => points.findLast((point) => point.label === label)?.value ?? 0
  // A line needs two points: on the first day there is one.
  const isFirstDay = new Set(points.filter(({ value }) => value !== null).map(({ time }) => time)).size === 1
  return (
    <Panel title="Status over time" missing="The store has no products." isEmpty={points.length === 0} isWide>
      <LineChart data={rows} margin={{ top: 10, right: 20 }}>
        <CartesianGrid strokeDasharray="3 3" vertical={false} />
        <XAxis dataKey="day" />
        <YAxis width="auto" />
        <Tooltip />
        <Legend formatter={(label: string) => `${label} ${last(label)}`} />
        {labels.map((label, i) => (
          <Line
            key={label}
            dataKey={label}
            stroke={colours[i % colours.length] ?? ''}
            dot={isFirstDay}
            isAnimationActive={false}
          />
        ))}
      </LineChart>
    </Panel>
  )
}

export function Coverage({ rows }: { rows: Dashboard['coverageRows'] }) {
  const images = rows.filter(({ assetFormat }) => assetFormat === 'image')
  return (
    <Panel title="Products with images by channel" missing="No product has an image." isEmpty={images.length === 0}>
      <BarChart data={images} margin={{ top: 20, right: 10 }}>
        <XAxis dataKey="channel" interval={0} fontSize={12} />
        <YAxis width="auto" />
        <Tooltip />
        <Legend />
        <Bar dataKey="products" fill="#cbd5e1" isAnimationActive={false} />
        <Bar dataKey="groups" name="with images" fill="#2563eb" isAnimationActive={false}>
          <LabelList dataKey="groups" position="top" />
        </Bar>
      </BarChart>
    </Panel>
  )
}

export function TopBrands({ brands }: { brands: { value: string; count: number }[] }) {
  return (
    <Panel title="Top brands" missing="No product has the attribute Brand." isEmpty={brands.length === 0}>
      <BarChart data={brands} layout="vertical">
        <XAxis type="number" />
        <YAxis type="category" dataKey="value" width="auto" />
        <Tooltip />
        <Bar dataKey="count" fill="#16a34a" isAnimationActive={false}>
          <LabelList dataKey="count" position="insideRight" fill="#fff" />
        </Bar>
      </BarChart>
    </Panel>
  )
}
