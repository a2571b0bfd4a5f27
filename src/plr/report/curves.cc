#include "plr/report/curves.h"

#include <algorithm>
#include <limits>
#include <set>

namespace plr::report {

double quantity_value(const EvalRecord& evaluation, Quantity quantity) {
  switch (quantity) {
    case Quantity::kTest:
      return evaluation.test_return;
    case Quantity::kTrain:
      return evaluation.train_return;
    case Quantity::kGap:
      break;
  }
  return evaluation.train_return - evaluation.test_return;
}

std::optional<double> interpolate(const RunData& run, Quantity quantity, double steps) {
  const auto& list = run.evaluations;
  const auto after = std::lower_bound(
      list.begin(), list.end(), steps,
      [](const EvalRecord& evaluation, double wanted) { return evaluation.steps < wanted; });
  if (after == list.end()) return std::nullopt;
  const double right = quantity_value(*after, quantity);
  if (after->steps == steps) return right;
  if (after == list.begin()) return std::nullopt;
  const auto before = std::prev(after);
  const double left = quantity_value(*before, quantity);
  return left + (right - left) * (steps - before->steps) / (after->steps - before->steps);
}

std::optional<double> interpolate(std::span<const double> x, std::span<const double> y, double at) {
  const auto after = std::lower_bound(x.begin(), x.end(), at);
  if (after == x.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(after - x.begin());
  if (x[i] == at) return y[i];
  if (i == 0) return std::nullopt;
  return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1]);
}

std::vector<double> evaluation_steps(std::span<const RunData* const> runs, std::size_t limit,
                                     double end) {
  std::set<double> all;
  for (const RunData* run : runs) {
    for (const EvalRecord& evaluation : run->evaluations) all.insert(evaluation.steps);
  }
  return subsampled(std::vector<double>(all.begin(), all.upper_bound(end)), limit);
}

Curve mean_curve(std::size_t num_points, const std::function<Summary(std::size_t)>& summary_at) {
  Curve curve;
  for (std::size_t i = 0; i < num_points; ++i) {
    const Summary s = summary_at(i);
    curve.mean.push_back(s.count > 0 ? s.mean : std::numeric_limits<double>::quiet_NaN());
    curve.deviation.push_back(s.deviation);
    curve.count.push_back(s.count);
  }
  return curve;
}

}  // namespace plr::report
