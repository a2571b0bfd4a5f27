#include "plr/experiment/packed_sessions.h"

#include <fmt/format.h>

#include "plr/base/counted.h"
#include "plr/terminal/number_text.h"

namespace plr::experiment {
namespace {

// Measures one session and tells the search its speed.
class Trial {
 public:
  // Runs that fail with the first packing have other reasons than the packing: later ones may have
  // as many failures, `tolerated_failures`, which the first trial counts.
  Trial(PackingSearch& search, const SessionCallbacks& callbacks, const TrialOptions& options,
        std::size_t& tolerated_failures)
      : search_(search),
        callbacks_(callbacks),
        options_(options),
        tolerated_failures_(tolerated_failures),
        packing_(search.current()),
        window_(options.window) {}

  void observe(const SessionProgress& progress) {
    if (callbacks_.progressed) callbacks_.progressed(progress);
    if (search_.is_done() || is_over()) return;
    window_.observe(progress.done);
    if (search_.trials().empty()) tolerated_failures_ = progress.num_failed;
    if (progress.num_failed > tolerated_failures_) {
      record(0, progress);
    } else if (window_.speed()) {
      record(*window_.speed(), progress);
    }
  }

  bool is_over() const { return search_.current() != packing_; }

 private:
  void record(double speed, const SessionProgress& progress) {
    search_.record(speed);
    if (progress.steps_left < options_.worthwhile_seconds * speed) search_.finish();
    if (search_.is_done() && options_.chosen) options_.chosen();
    if (!callbacks_.message) return;
    const auto text = [](const Packing& packing) {
      return fmt::format("{} at a time with {} each", packing.max_running,
                         counted(packing.num_workers, "worker"));
    };
    callbacks_.message(
        fmt::format("{}: {} steps/s in total; {} {}", text(packing_), terminal::short_number(speed),
                    search_.is_done() ? "from now on" : "next", text(search_.current())));
  }

  PackingSearch& search_;
  const SessionCallbacks& callbacks_;
  const TrialOptions& options_;
  std::size_t& tolerated_failures_;
  Packing packing_;
  SpeedWindow window_;
};

}  // namespace

SessionsEnd run_packed_sessions(std::vector<RunJob>& jobs, SessionOptions options,
                                PackingSearch& search, const SessionCallbacks& callbacks,
                                const TrialOptions& trials) {
  std::size_t tolerated_failures = 0;
  while (true) {
    options.packing = search.current();
    Session session(jobs, options);
    Trial trial(search, callbacks, trials, tolerated_failures);
    bool is_stopped = false;
    SessionCallbacks during = callbacks;
    during.progressed = [&](const SessionProgress& progress) { trial.observe(progress); };
    during.should_stop = [&] {
      is_stopped = is_stopped || (callbacks.should_stop && callbacks.should_stop());
      return is_stopped || trial.is_over();
    };
    const std::vector<std::string> failures = session.run(during);
    if (is_stopped || !trial.is_over()) return {failures, session.num_finished()};
  }
}

}  // namespace plr::experiment
