// PTX instructions that CUDA C++ has no function for, one thin function each.
//
// Functions are named after the instruction; NVIDIA's PTX manual says what it does.  Addresses are
// 32-bit addresses of shared memory, from shared_address().
//
// libcu++'s cuda::ptx is not used: its functions take generic 64-bit pointers where these kernels
// keep 32-bit addresses, and it has neither griddepcontrol nor the aligned variants of the cluster
// barrier.
#pragma once

#include <cstdint>

namespace plr::cuda {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// ---- matrices ----------------------------------------------------------------------------------
//
// Fragments, by lane with g = lane / 4 and q = lane % 4:
//
//   a (16x16)  rows g and g + 8, columns 2q, 2q + 1 and 2q + 8, 2q + 9:
//              a[0] = (g, 2q), a[1] = (g + 8, 2q), a[2] = (g, 2q + 8), a[3] = (g + 8, 2q + 8)
//   b (16x8)   column g: b0 = rows 2q, 2q + 1; b1 = rows 2q + 8, 2q + 9
//   c (16x8)   c[0], c[1] = (g, 2q), (g, 2q + 1); c[2], c[3] = the same of row g + 8

// c += a * b, 16x16 times 16x8 in bf16, accumulated in fp32.
__device__ inline void mma_bf16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Loads four 8x8 matrices of 16-bit numbers; lane i gives the address of row i % 8 of matrix i / 8.
__device__ inline void ldmatrix_x4(std::uint32_t (&a)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(address)
               : "memory");
}

// The same for matrices stored transposed.
__device__ inline void ldmatrix_x4_trans(std::uint32_t (&a)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(address)
               : "memory");
}

__device__ inline void stmatrix_x4(std::uint32_t address, std::uint32_t r0, std::uint32_t r1,
                                   std::uint32_t r2, std::uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address),
               "r"(r0), "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}

__device__ inline void stmatrix_x2(std::uint32_t address, std::uint32_t r0, std::uint32_t r1) {
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

// The larger of two numbers, or NaN if either is NaN.
__device__ inline float max_nan(float x, float y) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(x), "f"(y));
  return larger;
}

// ---- cp.async: copies from global to shared memory, waited for in groups ------------------------

// Starts to copy 16 aligned bytes, or to write 16 zero bytes if `is_inside` is false.
__device__ inline void cp_async_16(std::uint32_t to, const void* from, bool is_inside = true) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(is_inside ? 16 : 0)
               : "memory");
}
// Makes a group of the copies started since the last commit.
__device__ inline void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most the last COUNT groups are pending.
template <int COUNT>
__device__ inline void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
}

// Waits until all copies of this thread have arrived.
__device__ inline void cp_async_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// ---- shared memory -----------------------------------------------------------------------------

__device__ inline std::uint32_t ld_shared_u32(std::uint32_t address) {
  std::uint32_t v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}

__device__ inline void ld_shared_v2(std::uint32_t& x, std::uint32_t& y, std::uint32_t address) {
  asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(address) : "memory");
}

__device__ inline void ld_shared_v4(std::uint32_t (&v)[4], std::uint32_t address) {
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
               : "r"(address)
               : "memory");
}

__device__ inline float2 ld_shared_float2(std::uint32_t address) {
  float2 v;
  asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(address) : "memory");
  return v;
}

__device__ inline void st_shared_u32(std::uint32_t address, std::uint32_t v) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
}

__device__ inline void st_shared_v2(std::uint32_t address, std::uint32_t x, std::uint32_t y) {
  asm volatile("st.shared.v2.u32 [%0], {%1,%2};" ::"r"(address), "r"(x), "r"(y) : "memory");
}

__device__ inline void st_shared_v4(std::uint32_t address, const std::uint32_t (&v)[4]) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(v[0]), "r"(v[1]),
               "r"(v[2]), "r"(v[3])
               : "memory");
}

__device__ inline void st_shared_zeros_16(std::uint32_t address) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(address), "r"(0) : "memory");
}

// ---- clusters ----------------------------------------------------------------------------------

__device__ inline int cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// The same location in the shared memory of thread block `rank` of the cluster.
__device__ inline std::uint32_t mapa(std::uint32_t address, int rank) {
  std::uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

__device__ inline void st_cluster(std::uint32_t address, float v) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(v) : "memory");
}

__device__ inline float ld_cluster(std::uint32_t address) {
  float v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(address) : "memory");
  return v;
}

__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
// Does not order memory accesses: about 1,200 cycles cheaper where nothing was written.
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

// Copies 16 bytes from `local` into the shared memory of another thread block; the barrier there
// counts the bytes as they arrive.
__device__ inline void st_async_16(std::uint32_t remote, std::uint32_t local,
                                   std::uint32_t remote_barrier) {
  std::uint32_t v[4];
  ld_shared_v4(v, local);
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1,%2,%3,%4}, [%5];" ::
          "r"(remote),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(remote_barrier)
      : "memory");
}
// The same from registers; then 8 bytes.
__device__ inline void st_async_16(std::uint32_t remote, const uint4& v,
                                   std::uint32_t remote_barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1,%2,%3,%4}, [%5];" ::
          "r"(remote),
      "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "r"(remote_barrier)
      : "memory");
}
__device__ inline void st_async_8(std::uint32_t remote, const uint2& v,
                                  std::uint32_t remote_barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1,%2}, [%3];" ::"r"(
          remote),
      "r"(v.x), "r"(v.y), "r"(remote_barrier)
      : "memory");
}

// ---- mbarrier: barriers that count arrivals and bytes, and bulk copies --------------------------

__device__ inline void mbarrier_init(std::uint32_t barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Makes initialized barriers visible to the cluster and to the bulk copy engine.
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void mbarrier_wait(std::uint32_t barrier, int parity) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tWAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t@p "
      "bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// The same where another thread block of the cluster wrote the data.
__device__ inline void mbarrier_wait_cluster(std::uint32_t barrier, int parity) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tWAIT:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
      "[%0], %1;\n\t@p bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Announces `bytes`, then arrives `count` times.
__device__ inline void mbarrier_expect_tx_and_arrive(std::uint32_t barrier, int bytes, int count) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count)
               : "memory");
}

__device__ inline void mbarrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// One arrival, which announces `bytes`.
__device__ inline void mbarrier_arrive_expect_tx(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Starts to copy from global memory; the bytes must have been announced to the barrier.
__device__ inline void cp_async_bulk(std::uint32_t to, const void* from, int bytes,
                                     std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ inline void expect_and_cp_async_bulk(std::uint32_t to, const void* from, int bytes,
                                                std::uint32_t barrier) {
  mbarrier_arrive_expect_tx(barrier, bytes);
  cp_async_bulk(to, from, bytes, barrier);
}

// ---- cp.async.bulk.tensor: copies of boxes of tensors -------------------------------------------

// The tensor map (impala/tensor_maps.h) has the tensor's shape and the size of the box.  What lies
// outside of the tensor is read as zero and never written.
__device__ inline void cp_async_bulk_tensor_load(std::uint32_t to, const void* map, int x, int y,
                                                 int image, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2,%3,%4,%5}], [%6];" ::"r"(to),
      "l"(map), "r"(0), "r"(x), "r"(y), "r"(image), "r"(barrier)
      : "memory");
}
// Stores a whole image, from pixel (0, 0) on: a store must not start at negative coordinates.
__device__ inline void cp_async_bulk_tensor_store(const void* map, int image, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1,%2,%3,%4}], [%5];" ::"l"(map),
      "r"(0), "r"(0), "r"(0), "r"(image), "r"(from)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until the stores of this thread have read shared memory.
__device__ inline void cp_async_bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
// Makes what this thread wrote to shared memory visible to the bulk copy engine.
__device__ inline void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- programmatic dependent launch --------------------------------------------------------------

// Lets the next kernel start with what does not depend on this one.
__device__ inline void launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
// Waits until the previous kernel has finished and its writes are visible.
__device__ inline void grid_dependency_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

}  // namespace plr::cuda
