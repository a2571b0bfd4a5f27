// How are instructions of Hopper written for which CUDA C++ has no words?
//
// One thin function each.  Addresses are those of shared memory, 32 bits.  What they do is said in
// NVIDIA's PTX manual under the instruction's name.
#pragma once

#include <cstdint>

namespace plr::cuda {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// ---- matrices ----------------------------------------------------------------------------------

// c += a * b, 16x16 times 16x8 in bf16, summed in fp32.
__device__ inline void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                           std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline void load_matrix(std::uint32_t (&a)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(address)
               : "memory");
}

// The same for matrices that lie transposed.
__device__ inline void load_transposed(std::uint32_t (&a)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(address)
               : "memory");
}

__device__ inline void store_matrix(std::uint32_t address, std::uint32_t r0, std::uint32_t r1,
                                    std::uint32_t r2, std::uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address),
               "r"(r0), "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}

__device__ inline void store_half_matrix(std::uint32_t address, std::uint32_t r0,
                                         std::uint32_t r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(address), "r"(r0),
               "r"(r1)
               : "memory");
}

// Two bf16 in a word, `low` in its lower half.
__device__ inline std::uint32_t pack_bf16(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

// The larger of two numbers, or NaN if either is.
__device__ inline float max_or_nan(float x, float y) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(x), "f"(y));
  return larger;
}

// ---- copies that are waited for in groups ------------------------------------------------------

// Begins to copy 16 aligned bytes from global memory, or zeros if these are not there.
__device__ inline void copy128(std::uint32_t to, const void* from, bool is_there = true) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(is_there ? 16 : 0)
               : "memory");
}
// What was begun since the last time is a group.
__device__ inline void end_of_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until at most the last COUNT groups are under way.
template <int COUNT>
__device__ inline void wait_for_groups_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
}

// ---- shared memory -----------------------------------------------------------------------------

__device__ inline std::uint32_t load32(std::uint32_t address) {
  std::uint32_t v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}

__device__ inline void load64(std::uint32_t& x, std::uint32_t& y, std::uint32_t address) {
  asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(address) : "memory");
}

__device__ inline void load128(std::uint32_t (&v)[4], std::uint32_t address) {
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
               : "r"(address)
               : "memory");
}

__device__ inline float2 load_floats(std::uint32_t address) {
  float2 v;
  asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(address) : "memory");
  return v;
}

__device__ inline void store64(std::uint32_t address, std::uint32_t x, std::uint32_t y) {
  asm volatile("st.shared.v2.u32 [%0], {%1,%2};" ::"r"(address), "r"(x), "r"(y) : "memory");
}

__device__ inline void store128(std::uint32_t address, const std::uint32_t (&v)[4]) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(v[0]), "r"(v[1]),
               "r"(v[2]), "r"(v[3])
               : "memory");
}

__device__ inline void store_zeros128(std::uint32_t address) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(address), "r"(0) : "memory");
}

// ---- clusters ----------------------------------------------------------------------------------

__device__ inline int cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// The same place in the shared memory of another block of the cluster.
__device__ inline std::uint32_t address_in(std::uint32_t address, int rank) {
  std::uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

__device__ inline void store_in_cluster(std::uint32_t address, float v) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(v) : "memory");
}

__device__ inline float load_from_cluster(std::uint32_t address) {
  float v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(address) : "memory");
  return v;
}

__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
// Orders no memory: some 1,200 cycles cheaper where nothing was written.
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// Copies 16 bytes into another block's shared memory; its barrier there counts them as they land.
__device__ inline void send128(std::uint32_t there, std::uint32_t here, std::uint32_t barrier) {
  std::uint32_t v[4];
  load128(v, here);
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1,%2,%3,%4}, [%5];" ::
          "r"(there),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(barrier)
      : "memory");
}

// ---- barriers that count bytes, and the bulk copy engine ---------------------------------------

__device__ inline void barrier_init(std::uint32_t barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Makes initialized barriers known to the cluster and to the copy engine.
__device__ inline void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void barrier_wait(std::uint32_t barrier, int parity) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tWAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t@p "
      "bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// The same where what arrived was sent by another block.
__device__ inline void barrier_wait_for_cluster(std::uint32_t barrier, int parity) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tWAIT:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
      "[%0], %1;\n\t@p bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ inline void barrier_expect_and_arrive(std::uint32_t barrier, int bytes, int count) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count)
               : "memory");
}

__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// One of its arrivals, which says how many bytes are to come.
__device__ inline void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Begins to copy from global memory; the barrier, which expects the bytes, counts them.
__device__ inline void bulk_copy(std::uint32_t to, const void* from, int bytes,
                                 std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ inline void bulk_load(std::uint32_t to, const void* from, int bytes,
                                 std::uint32_t barrier) {
  barrier_expect(barrier, bytes);
  bulk_copy(to, from, bytes, barrier);
}

// ---- copies of boxes of tensors ----------------------------------------------------------------

// The map (impala/tensor_maps.h) says how the tensor lies and how large the box is.  What of a box lies
// outside of the tensor is read as zero and never written.
__device__ inline void tensor_load(std::uint32_t to, const void* map, int x, int y, int image,
                                   std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2,%3,%4,%5}], [%6];" ::"r"(to),
      "l"(map), "r"(0), "r"(x), "r"(y), "r"(image), "r"(barrier)
      : "memory");
}
// A whole image: a store may not begin at negative places.
__device__ inline void tensor_store(const void* map, int image, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1,%2,%3,%4}], [%5];" ::"l"(map),
      "r"(0), "r"(0), "r"(0), "r"(image), "r"(from)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// What this thread has sent has left shared memory.
__device__ inline void wait_until_sent() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
// What was stored here is there for the copy engine.
__device__ inline void fence_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- one kernel after another ------------------------------------------------------------------

// The next kernel may begin with what does not depend on this one.
__device__ inline void let_next_kernel_start() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
// The kernel before has finished.
__device__ inline void wait_for_last_kernel() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

}  // namespace plr::cuda
